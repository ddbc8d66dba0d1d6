/** The display options of a diff, and which part of it is shown: the parameters of every page with a diff, and the links between them. */
import { type Static, type TObject, Type } from 'typebox'
import { Off, oneOfDefault } from '../../../../http/parameters/schema.ts'

/** Parameters of the query. */
export const diffQuery = {
  /** `inline` and `parallel` are the names of both in links from elsewhere. */
  view: oneOfDefault('unified', 'split', 'inline', 'parallel'),
  /** `1`: changes of spaces are hidden. */
  w: oneOfDefault('0', '1'),
  /** The first file shown, from 1. */
  file: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  /** Only that file, completely. */
  only: Off,
  /** The first row of that file to show, from 1. */
  row: Type.Integer({ minimum: 1, maximum: 10_000_000, default: 1 }),
  /** Lines around each change. */
  context: Type.Integer({ minimum: 3, maximum: 10_000, default: 3 }),
}

export type DiffOptions = Static<TObject<typeof diffQuery>>

/** As a diff is shown where nobody has chosen anything. */
export const defaultOptions: DiffOptions = { view: 'unified', w: '0', file: 1, only: false, row: 1, context: 3 }

export function isSplit({ view }: Pick<DiffOptions, 'view'>): boolean {
  return view === 'split' || view === 'parallel'
}

/** The URL with these options, without defaults. */
export function addressWith(address: string, options: Partial<DiffOptions>): string {
  const given = Object.entries(options).filter(([name, value]) => value !== defaultOptions[name as keyof DiffOptions])
  if (given.length === 0) return address
  return `${address}${address.includes('?') ? '&' : '?'}${given.map(([name, value]) => `${name}=${value}`).join('&')}`
}

/** The next larger number of lines around each change; null if there is none. */
export function widerContext(context: number): number | null {
  return [20, 100, 1_000, 10_000].find((wider) => wider > context) ?? null
}

/** The options that apply to the whole diff. */
export function lookOf({ view, w }: DiffOptions): Pick<DiffOptions, 'view' | 'w'> {
  return { view, w }
}
