export function filesIn(folder: string, isWanted: (path: string) => boolean): string[]
export function isSource(path: string): boolean
export function isTest(path: string): boolean
export function sourcesOf(root: string): string[]
export function testsOf(root: string): string[]
