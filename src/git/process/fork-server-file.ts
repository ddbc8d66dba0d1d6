/** How to run the program of the fork server, compiled or from source. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { runsFromSource } from '../../program/main-file.ts'

/** It holds almost nothing, and V8 needs no threads for it. */
export const flags = ['--max-old-space-size=64', '--max-semi-space-size=1', '--v8-pool-size=0']

let fromSource: string[] | undefined

/** Tests use their own (`test/support/run/fork-server-file.ts`). */
export function forkServerArguments(): string[] {
  // `tools/build-program.mjs` puts it beside this file.
  if (!runsFromSource) return [...flags, fileURLToPath(new URL('./fork-server.js', import.meta.url))]
  fromSource ??= [...flags, '--input-type=module', '--eval', compiled(new URL('./fork-server.ts', import.meta.url))]
  return fromSource
}

/** Compiled here, since loading a compiler into the fork server would make it large. */
function compiled(program: URL): string {
  const { transformSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
  return transformSync(readFileSync(program, 'utf8'), { loader: 'ts', format: 'esm', target: 'node20' }).code
}
