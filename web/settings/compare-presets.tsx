/** The policies that have names, side by side: only what differs, with the one in force marked. */
import { useMemo } from "react";
import type { Fields } from "../api/fields.ts";
import type { Preset } from "../api/settings.ts";
import { listDifferences } from "./policy-differences.ts";

export interface ComparePresetsProps {
  readonly presets: readonly Preset[];
  readonly current: Fields;
}

export function ComparePresets({ presets, current }: ComparePresetsProps) {
  const lines = useMemo(() => listDifferences(presets.map(({ policy }) => policy)), [presets]);
  return (
    <section className="panel-part">
      <h3>The presets compared</h3>
      <p className="aside">Only what differs. A dash means that the preset does not say it.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
      <section className="table-frame compare" tabIndex={0} aria-label="The presets compared">
        <table>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              {presets.map(({ name }) => (
                <th key={name} scope="col" data-current={name === current.name}>
                  {name}
                  {name === current.name ? <small> in force</small> : null}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(({ key, values }) => (
              <tr key={key}>
                <th scope="row" className="mono">
                  {key}
                </th>
                {values.map((value, index) => (
                  <td key={presets[index]?.name} data-differs={value !== values[0]}>
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
