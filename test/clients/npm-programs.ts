/** Programs of npm, and how one of them is run. `npm ci --prefix test/clients/npm` installs them. */
import { type ExecFileOptions, execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const exec = promisify(execFile)
const folder = fileURLToPath(new URL('npm', import.meta.url))
export const packages = join(folder, 'node_modules')

/** Runs a program of these packages by its file. Fails with what it wrote. */
export async function run(file: string, args: string[], options: ExecFileOptions): Promise<string> {
  const outcome = exec(process.execPath, [join(packages, file), ...args], { timeout: 240_000, maxBuffer: 64 * 1024 ** 2, ...options })
  return outcome.then(
    ({ stdout }) => String(stdout),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${file} failed:\n${stdout}\n${stderr}`)
    },
  )
}
