/**
 * The Chromium that tests and the bench drive: its headless shell where there is one, which takes two thirds of the processor time (no
 * window, no GPU process), or that of the machine, or the one named in `GITSTEAD_TEST_CHROMIUM`.
 */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where Debian's package `chromium-headless-shell` has it. */
const headlessShell = '/usr/lib/chromium/chromium-headless-shell'

/** The path of the program; null where there is none. */
export function findChromium() {
  const named = process.env.GITSTEAD_TEST_CHROMIUM
  if (named) return named
  const paths = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'].map((folder) => join(folder, 'chromium'))
  return [headlessShell, ...paths].find(isProgram) ?? null
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
