/** Icons next to labels, drawn in the text color. They are hidden from screen readers. */
import type { ReactNode } from "react";

function Icon({ children }: { readonly children: ReactNode }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

export const PinIcon = () => (
  <Icon>
    <path d="M6 2h4l-.6 5 2.6 2.5H4L6.6 7zM8 9.5V14" />
  </Icon>
);
export const AskIcon = () => (
  <Icon>
    <path d="M5.5 6a2.5 2.5 0 1 1 3.7 2.2c-.8.45-1.2.9-1.2 1.8M8 12.8v.1" />
  </Icon>
);
export const MenuIcon = () => (
  <Icon>
    <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h7" />
  </Icon>
);
export const LayersIcon = () => (
  <Icon>
    <path d="M8 2.5 14 6 8 9.5 2 6zM3 9l5 3 5-3M3 11.8l5 3 5-3" />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d="m4 4 8 8M12 4l-8 8" />
  </Icon>
);
export const SendIcon = () => (
  <Icon>
    <path d="M8 13V3M3.5 7.5 8 3l4.5 4.5" />
  </Icon>
);
export const StopIcon = () => (
  <Icon>
    <path d="M4.5 4.5h7v7h-7z" />
  </Icon>
);
export const ClearIcon = () => (
  <Icon>
    <path d="M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5 5 13h6l.5-8.5M7 7v3.5M9 7v3.5" />
  </Icon>
);
export const FoldIcon = () => (
  <Icon>
    <path d="M3 3h10M3 13h10M8 4.5v2.7M6.5 6 8 7.5 9.5 6M8 11.5V8.8M6.5 10 8 8.5 9.5 10" />
  </Icon>
);
export const UndoIcon = () => (
  <Icon>
    <path d="M6 4 3 7l3 3M3 7h6.5a3 3 0 0 1 0 6H7" />
  </Icon>
);
export const QuoteIcon = () => (
  <Icon>
    <path d="M3 12V8.5a4 4 0 0 1 3-4M9 12V8.5a4 4 0 0 1 3-4M3 8.5h3.5V12H3zM9 8.5h3.5V12H9z" />
  </Icon>
);
export const ThemeIcon = () => (
  <Icon>
    <path d="M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11" />
    <path className="icon-fill" d="M8 2.5a5.5 5.5 0 0 1 0 11z" />
  </Icon>
);
export const PlusIcon = () => (
  <Icon>
    <path d="M8 3.5v9M3.5 8h9" />
  </Icon>
);
export const MinusIcon = () => (
  <Icon>
    <path d="M3.5 8h9" />
  </Icon>
);
export const FitIcon = () => (
  <Icon>
    <path d="M4 2.5h8M4 13.5h8M8 5v6M6 6.5 8 4.5l2 2M6 9.5l2 2 2-2" />
  </Icon>
);
export const MoreIcon = () => (
  <Icon>
    <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />
  </Icon>
);
export const ForkIcon = () => (
  <Icon>
    <path d="M5 3v10M5 8h3.5a2.5 2.5 0 0 0 2.5-2.5V3M9 5l2-2 2 2" />
  </Icon>
);
export const ImageIcon = () => (
  <Icon>
    <path d="M2.5 3.5h11v9h-11zM2.5 10.5l3-3 2.5 2.5 2-2 3.5 3.5M10.5 6h.01" />
  </Icon>
);
export const SettingsIcon = () => (
  <Icon>
    <path d="M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.5v3M6 9.5v3" />
  </Icon>
);
