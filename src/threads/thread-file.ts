/** The file that a worker thread is started with: the built one, or its source with a loader. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { runsFromSource } from '../program/main-file.ts'

/** The program's source, and its name beside the built program (`tools/build-program.mjs`). */
export interface ThreadProgram {
  source: URL
  shipped: string
}

/** Arguments for the constructor of `Worker`. Tests use their own (`test/support/run/thread-file.ts`). */
export interface ThreadFile {
  file: URL | string
  eval: boolean
}

export async function threadFile({ source, shipped }: ThreadProgram): Promise<ThreadFile> {
  return runsFromSource ? { file: fromSource(source), eval: true } : { file: new URL(shipped, import.meta.url), eval: false }
}

/** The TypeScript loader of this thread doesn't apply to others, so each worker thread registers its own. */
function fromSource(program: URL): string {
  const loader = createRequire(import.meta.url).resolve('tsx/cjs/api')
  const file = JSON.stringify(fileURLToPath(program))
  return `require(${JSON.stringify(loader)}).require(${file}, ${file})`
}
