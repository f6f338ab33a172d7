/** A table of the presets with the settings in which they differ, and the current one marked. */
import { useMemo } from "react";
import type { Fields } from "../../src/client/fields.ts";
import type { Preset } from "../api/values.ts";
import { listDifferences } from "./policy-differences.ts";

export interface ComparePresetsProps {
  readonly presets: readonly Preset[];
  readonly current: Fields;
}

export function ComparePresets({ presets, current }: ComparePresetsProps) {
  const lines = useMemo(() => listDifferences(presets.map(({ policy }) => policy)), [presets]);
  return (
    <section className="panel-part">
      <h3>Compare presets</h3>
      <p className="aside">Settings that differ. A dash means that the preset leaves the setting unset.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard. */}
      <section className="table-frame compare" tabIndex={0} aria-label="Compare presets">
        <table>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              {presets.map(({ name }) => (
                <th key={name} scope="col" data-current={name === current.name}>
                  {name}
                  {name === current.name ? <small> in use</small> : null}
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
