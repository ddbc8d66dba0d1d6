/** The Chromium that tests and the bench drive: that of the machine, or the one named in `GITSTEAD_TEST_CHROMIUM`. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the program; null where there is none. */
export function findChromium() {
  const named = process.env.GITSTEAD_TEST_CHROMIUM
  if (named) return named
  const paths = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'].map((folder) => join(folder, 'chromium'))
  return paths.find(isProgram) ?? null
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
