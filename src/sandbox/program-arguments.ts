/** How to run a program of the sandbox: the built file, or its source with a loader. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { runsFromSource } from '../program/main-file.ts'

/** The program's source, and its name beside the built program (`tools/build-program.mjs`). */
export interface SandboxProgram {
  source: URL
  shipped: string
}

/** Arguments of Node.js. Tests use their own (`test/support/run/program-arguments.ts`). */
export async function programArguments({ source, shipped }: SandboxProgram): Promise<string[]> {
  return runsFromSource ? ['--eval', fromSource(source)] : [fileURLToPath(new URL(shipped, import.meta.url))]
}

/** The TypeScript loader of this process doesn't apply to others, so each registers its own. */
function fromSource(program: URL): string {
  const loader = createRequire(import.meta.url).resolve('tsx/cjs/api')
  const file = JSON.stringify(fileURLToPath(program))
  return `require(${JSON.stringify(loader)}).require(${file}, ${file})`
}
