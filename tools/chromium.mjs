/**
 * The Chromium for tests and the benchmark: the one named in `GITSTEAD_TEST_CHROMIUM`, or the headless shell, which takes two thirds of the
 * processor time (no window, no GPU process), or the one of the machine.
 */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path in Debian's package `chromium-headless-shell`. */
const headlessShell = '/usr/lib/chromium/chromium-headless-shell'

/** The path of the program; null if there is none. */
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
