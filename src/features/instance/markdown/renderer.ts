/** Rendering in a thread of its own: whatever was written, the process goes on meanwhile, and a text without end is given up. */
import { Failure } from '../../../failure.ts'
import { openThreads } from '../../../threads/threads.ts'
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
  const threads = openThreads({
    program: { source: new URL('./worker.ts', import.meta.url), shipped: './worker.js' },
    ...{ maxWaiting, max_mb, maxYoung_mb, idle_ms },
  })

  async function run(whose: string, job: Job, longest_ms: number): Promise<unknown> {
    try {
      return await threads.run(whose, { job, longest_ms })
    } catch (cause) {
      if (cause instanceof Failure) throw cause
      throw new Failure('timed_out', '503 The text takes too long to render', { cause })
    }
  }

  return {
    render: (text, flavour, whose) => run(whose, { kind: 'markdown', text, flavour }, longest_ms) as Promise<string>,
    renderTemplate: (text, flavour, site, whose) => run(whose, { kind: 'template', text, flavour, site }, longest_ms) as Promise<Template>,
    highlight: (text, language, whose) => run(whose, { kind: 'code', text, language }, longestCode_ms) as Promise<Uint8Array | null>,
  }
}
