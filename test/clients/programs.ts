/** Programs with clients of the interface, and how a script of them is run. */
import { execFile, execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gpgKey } from '../support/fixtures/gpg-keys.ts'
import type { Forge } from '../support/forge.ts'

const run = promisify(execFile)

function succeeds(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The first of these programs that has the library. */
export const python = ['/usr/bin/python3', 'python3'].find((program) => succeeds(program, ['-c', 'import gitlab']))
export const ruby = ['/usr/bin/ruby', 'ruby'].find((program) => succeeds(program, ['-e', 'require "gitlab"']))

/** Runs the script against the forge; what it writes at the end. */
export async function runs(forge: Forge, program: string, script: string): Promise<string> {
  // The clients wait for what is done in the background.
  await forge.startQueue()
  const path = fileURLToPath(new URL(script, import.meta.url))
  // The program reports failures on standard error, which the report of this test should show.
  const { stdout } = await run(program, [path, await forge.url(), forge.root.token, gpgKey()]).catch((error: { stderr: string }) => {
    throw new Error(error.stderr)
  })
  return stdout.trim()
}
