/** Rendering in threads of their own: whatever was written, the process goes on meanwhile, and a text without end is given up. */
import { Failure } from '../../../failure.ts'
import { openThreads } from '../../../threads/threads.ts'
import type { Flavour } from './render.ts'
import type { Template } from './template.ts'
import type { Job } from './worker.ts'

export interface Renderer {
  /**
   * Renders a text for somebody. Throws `timed_out` when it takes too long, or has taken too long before, `too_many` when too many
   * texts of theirs wait, and `busy` when too many wait in all.
   */
  render: (text: string, flavour: Flavour, whose: string) => Promise<string>
  /** As `render`, with references left open. */
  renderTemplate: (text: string, flavour: Omit<Flavour, 'gfm'>, site: string, whose: string) => Promise<Template>
  /** Lines of highlighted code, compressed by deflate; null for an unknown language. Throws as `render`. */
  highlight: (text: string, language: string, whose: string) => Promise<Uint8Array | null>
}

export interface RendererOptions {
  /** The time that a text of Markdown may take. The slowest known of the largest that are taken needs a second. */
  longest_ms?: number
  /**
   * The time that a text in another format, or the highlighting of a file, may take: their libraries may take for ever, and pages do
   * without.
   */
  longestOther_ms?: number
  /** How long the thread stays when nobody wants it: with all it has loaded it takes some 40 MB. */
  idle_ms?: number
}

/** Texts of one person that may wait. */
const maxWaiting = 20
/** The limit of all clients together. */
const maxWaitingInAll = 200
/** Comments and descriptions: they never wait behind what is long, or not Markdown. The slowest known needs 0.1 s. */
const maxShort_chars = 8 * 1024
const short_ms = 500
/** With it, the whole process stays below 200 MB. */
const max_mb = 64
/** The space of short-lived objects: more would only make the process larger. */
const maxYoung_mb = 8

export function openRenderer({ longest_ms = 10_000, longestOther_ms = 2_000, idle_ms = 30_000 }: RendererOptions = {}): Renderer {
  const threads = openThreads({
    program: { source: new URL('./worker.ts', import.meta.url), shipped: './worker.js' },
    ...{ shortThreads: 1, maxWaiting, maxWaitingInAll, max_mb, maxYoung_mb, idle_ms },
  })

  async function run(whose: string, job: Job): Promise<unknown> {
    const written = languageOf(job)
    const isMarkdown = written === 'markdown'
    try {
      return await threads.run(whose, {
        job,
        longest_ms: isMarkdown ? longest_ms : longestOther_ms,
        short_ms: isMarkdown && job.text.length <= maxShort_chars ? short_ms : undefined,
        content: `${written} ${job.text}`,
      })
    } catch (cause) {
      if (cause instanceof Failure) throw cause
      throw new Failure('timed_out', '503 The text takes too long to render', { cause })
    }
  }

  return {
    render: (text, flavour, whose) => run(whose, { kind: 'markdown', text, flavour }) as Promise<string>,
    renderTemplate: (text, flavour, site, whose) => run(whose, { kind: 'template', text, flavour, site }) as Promise<Template>,
    highlight: (text, language, whose) => run(whose, { kind: 'code', text, language }) as Promise<Uint8Array | null>,
  }
}

/** The limiter knows a job by its language: links and the page it is for make no text slow. */
function languageOf(job: Job): string {
  return job.kind === 'code' ? `code ${job.language}` : (job.flavour.markup ?? 'markdown')
}
