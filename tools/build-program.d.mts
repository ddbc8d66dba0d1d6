/** Bundles the program whose sources are in one folder into another, whose files are removed before. */
export function buildProgram(folders?: { source?: string; target?: string }): Promise<void>
