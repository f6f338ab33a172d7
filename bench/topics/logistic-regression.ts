/**
 * Fits a logistic regression by Newton's method, with weighted rows and a penalty on large weights. Columns are scaled
 * first, and the result is converted back to the scale of the data. It uses no random numbers: the same rows give the
 * same weights.
 */
export interface TrainingRow {
  readonly values: readonly number[];
  readonly isTrue: boolean;
  readonly weight: number;
}

export interface LogisticModel {
  readonly bias: number;
  readonly weights: readonly number[];
}

const MAX_STEPS = 10;
const SMALL_STEP = 1e-6;

export function fitLogisticRegression(rows: readonly TrainingRow[], penalty: number): LogisticModel {
  const scales = scalesOf(rows);
  const scaled = rows.map(({ values }) => [...values.map((value, column) => toScale(value, scales[column])), 1]);
  let weights: readonly number[] = [...scales.map(() => 0), 0];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const change = newtonStep({ rows, scaled, weights, penalty });
    weights = weights.map((weight, column) => weight + (change[column] ?? 0));
    if (change.every((one) => Math.abs(one) < SMALL_STEP)) break;
  }
  const plain = scales.map(({ deviation }, column) => (weights[column] ?? 0) / deviation);
  const shift = scales.reduce((total, { mean }, column) => total + mean * (plain[column] ?? 0), 0);
  return { bias: (weights.at(-1) ?? 0) - shift, weights: plain };
}

export function weighRow({ bias, weights }: LogisticModel, values: readonly number[]): number {
  return weights.reduce((sum, weight, column) => sum + weight * (values[column] ?? 0), bias);
}

interface Scale {
  readonly mean: number;
  readonly deviation: number;
}

function scalesOf(rows: readonly TrainingRow[]): readonly Scale[] {
  const columns = rows[0]?.values.length ?? 0;
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  return Array.from({ length: columns }, (_, column) => {
    const mean = rows.reduce((sum, { values, weight }) => sum + weight * (values[column] ?? 0), 0) / total;
    const variance =
      rows.reduce((sum, { values, weight }) => sum + weight * ((values[column] ?? 0) - mean) ** 2, 0) / total;
    return { mean, deviation: variance < 1e-12 ? 1 : Math.sqrt(variance) };
  });
}

function toScale(value: number, scale: Scale | undefined): number {
  return scale === undefined ? 0 : (value - scale.mean) / scale.deviation;
}

interface Step {
  readonly rows: readonly TrainingRow[];
  readonly scaled: readonly (readonly number[])[];
  readonly weights: readonly number[];
  readonly penalty: number;
}

/** The last column is the bias, which is not penalized. */
function newtonStep({ rows, scaled, weights, penalty }: Step): readonly number[] {
  const size = weights.length;
  const slope = new Float64Array(size);
  const curve = Array.from({ length: size }, () => new Float64Array(size));
  scaled.forEach((values, place) => {
    const row = rows[place];
    if (row === undefined) return;
    let sum = 0;
    for (let column = 0; column < size; column += 1) sum += (weights[column] ?? 0) * (values[column] ?? 0);
    const chance = 1 / (1 + Math.exp(-sum));
    const missed = row.weight * ((row.isTrue ? 1 : 0) - chance);
    const bend = row.weight * chance * (1 - chance);
    for (let column = 0; column < size; column += 1) {
      const value = values[column] ?? 0;
      slope[column] = (slope[column] ?? 0) + missed * value;
      const line = curve[column];
      if (line === undefined || value === 0) continue;
      for (let other = 0; other <= column; other += 1)
        line[other] = (line[other] ?? 0) + bend * value * (values[other] ?? 0);
    }
  });
  for (let column = 0; column < size; column += 1) {
    const held = column < size - 1 ? penalty : SMALL_STEP;
    slope[column] = (slope[column] ?? 0) - held * (weights[column] ?? 0);
    const line = curve[column];
    if (line !== undefined) line[column] = (line[column] ?? 0) + held;
  }
  return solve(curve, slope);
}

/** Solves the system by Cholesky decomposition; `curve` has the lower half of the matrix and is overwritten. */
function solve(curve: readonly Float64Array[], slope: Float64Array): readonly number[] {
  const size = slope.length;
  const at = (row: number, column: number) => curve[row]?.[column] ?? 0;
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = at(row, column);
      for (let inner = 0; inner < column; inner += 1) sum -= at(row, inner) * at(column, inner);
      const line = curve[row];
      if (line !== undefined)
        line[column] = row === column ? Math.sqrt(Math.max(sum, 1e-12)) : sum / at(column, column);
    }
  }
  const result = [...slope];
  for (let row = 0; row < size; row += 1) {
    for (let inner = 0; inner < row; inner += 1)
      result[row] = (result[row] ?? 0) - at(row, inner) * (result[inner] ?? 0);
    result[row] = (result[row] ?? 0) / at(row, row);
  }
  for (let row = size - 1; row >= 0; row -= 1) {
    for (let inner = row + 1; inner < size; inner += 1) {
      result[row] = (result[row] ?? 0) - at(inner, row) * (result[inner] ?? 0);
    }
    result[row] = (result[row] ?? 0) / at(row, row);
  }
  return result;
}
