/** Rendering in a thread of its own: whatever was written, the process goes on meanwhile, and a text without end is given up. */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { Failure } from '../../../failure.ts'
import { runsFromSource } from '../../../main-file.ts'
import { createFairQueue } from './fair-queue.ts'
import type { Flavour } from './render.ts'
import type { Template } from './template.ts'
import type { Job } from './worker.ts'

export interface Renderer {
  /** Renders a text of a user. Throws `timed_out` when it takes too long, `too_many` when too many texts of this user wait. */
  render: (text: string, flavour: Flavour, whose: string) => Promise<string>
  /** As `render`, with references left open. */
  renderTemplate: (text: string, flavour: Omit<Flavour, 'gfm'>, site: string, whose: string) => Promise<Template>
  /** Lines of highlighted code, compressed by deflate; null for an unknown language. Throws as `render`. */
  highlight: (text: string, language: string, whose: string) => Promise<Uint8Array | null>
}

export interface RendererOptions {
  /** What one text may take. The slowest known of the largest that are taken needs a second. */
  longest_ms?: number
  /** What highlighting a file may take: its page can do without. */
  longestCode_ms?: number
  /** How long the thread stays when nobody wants it: with all it has loaded it takes some 40 MB. */
  idle_ms?: number
}

/** Texts of one person that may wait. */
const maxWaiting = 20
/** With it, the whole process stays below 200 MB (decision 56). */
const max_mb = 64
/** What is short-lived: more would only make the process larger. */
const maxYoung_mb = 8

export function openRenderer({ longest_ms = 10_000, longestCode_ms = 4_000, idle_ms = 30_000 }: RendererOptions = {}): Renderer {
  const queue = createFairQueue(maxWaiting)
  let thread: Worker | null = null
  let parting: NodeJS.Timeout | undefined

  async function runInThread(job: Job, longest_ms: number): Promise<unknown> {
    clearTimeout(parting)
    thread ??= start()
    const used = thread
    used.ref()
    try {
      used.postMessage(job)
      const [made] = await once(used, 'message', { signal: AbortSignal.timeout(longest_ms) })
      used.unref()
      parting = setTimeout(end, idle_ms, used).unref()
      return made
    } catch (cause) {
      end(used)
      throw new Failure('timed_out', '503 The text takes too long to render', { cause })
    }
  }

  function start(): Worker {
    const started = startThread()
    // It may fail while nobody waits for it, too: even when another one has taken its place.
    return started.on('error', () => end(started))
  }

  function end(ended: Worker): void {
    void ended.terminate()
    if (thread === ended) thread = null
  }

  return {
    render: (text, flavour, whose) =>
      queue.run(whose, () => runInThread({ kind: 'markdown', text, flavour }, longest_ms)) as Promise<string>,
    renderTemplate: (text, flavour, site, whose) =>
      queue.run(whose, () => runInThread({ kind: 'template', text, flavour, site }, longest_ms)) as Promise<Template>,
    highlight: (text, language, whose) =>
      queue.run(whose, () => runInThread({ kind: 'code', text, language }, longestCode_ms)) as Promise<Uint8Array | null>,
  }
}

function startThread(): Worker {
  // `tools/build-program.mjs` puts it beside the file that this one is in.
  const program = new URL(runsFromSource ? './worker.ts' : './worker.js', import.meta.url)
  const options = { resourceLimits: { maxOldGenerationSizeMb: max_mb, maxYoungGenerationSizeMb: maxYoung_mb } }
  return runsFromSource ? new Worker(fromSource(program), { ...options, eval: true }) : new Worker(program, options)
}

/** The TypeScript loader of this thread doesn't apply to others: each worker thread registers its own. */
function fromSource(program: URL): string {
  const loader = createRequire(import.meta.url).resolve('tsx/cjs/api')
  const file = JSON.stringify(fileURLToPath(program))
  return `require(${JSON.stringify(loader)}).require(${file}, ${file})`
}
