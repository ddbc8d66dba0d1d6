export interface Declared {
  /** Below the root of the project. */
  file: string
  line: number
  signature: string
}
export function declarationsOf(wanted: string): Promise<Declared[]>
export function allDeclared(): Promise<Declared[]>
