export const laws: string[]
export function quickSelection(): { files: string[]; endpoints: string[] | null }
