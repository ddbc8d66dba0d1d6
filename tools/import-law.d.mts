/** File under `src` → the files and packages it imports. */
export type Imports = Map<string, string[]>
export function readImports(src: string): Imports
export function importsOf(file: string, text: string): string[]
export function refusedImports(imports: Imports): string[]
export function namedInLaw(): string[]
export function violations(src: string): string[]
