/** The path of the Chromium that tests and the bench drive; null where there is none. */
export function findChromium(): string | null
