export function buildWeb(root: string, into: string): Promise<void>
