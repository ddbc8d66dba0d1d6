/** Renders in separate processes, so that no text can block or end the server, and rendering that doesn't end is aborted. */
import { Failure } from '../../../failure.ts'
import { openSandbox } from '../../../sandbox/sandbox.ts'
import type { Flavour } from './render.ts'
import type { Template } from './template.ts'
import type { Job } from './worker.ts'

export interface Renderer {
  /**
   * Renders a text for a caller. Throws `timed_out` if it takes too long, or took too long before; `too_many` if too many texts of this
   * caller wait; and `busy` if too many wait in total.
   */
  render: (text: string, flavour: Flavour, whose: string) => Promise<string>
  /** As `render`, with references left open. */
  renderTemplate: (text: string, flavour: Omit<Flavour, 'gfm'>, site: string, whose: string) => Promise<Template>
  /** Lines of highlighted code, compressed by deflate; null for an unknown language. Throws as `render` does. */
  highlight: (text: string, language: string, whose: string) => Promise<Uint8Array | null>
}

export interface RendererOptions {
  /** Time limit for Markdown. The slowest known among the largest accepted texts needs a second. */
  longest_ms?: number
  /** Time limit for other formats, and for highlighting a file: their libraries may never end, and pages can do without the result. */
  longestOther_ms?: number
  /** How long an idle process is kept: with everything it has loaded it takes about 40 MB. */
  idle_ms?: number
}

/** Maximum of waiting texts per caller. */
const maxWaiting = 20
/** Maximum of all callers together. */
const maxWaitingInAll = 200
/** For comments and descriptions, which never wait behind long texts and other formats. The slowest known needs 0.1 s. */
const maxShort_chars = 8 * 1024
const short_ms = 500
/** With this, server and renderer stay below 200 MB together. */
const max_mb = 64
/** For short-lived objects: a larger limit would only make the process larger. */
const maxSemiSpace_mb = 2

export function openRenderer({ longest_ms = 10_000, longestOther_ms = 2_000, idle_ms = 30_000 }: RendererOptions = {}): Renderer {
  const sandbox = openSandbox({
    program: { source: new URL('./worker.ts', import.meta.url), shipped: './worker.js' },
    ...{ forShort: 1, maxWaiting, maxWaitingInAll, max_mb, maxSemiSpace_mb, idle_ms },
  })

  async function run(whose: string, job: Job): Promise<unknown> {
    const written = languageOf(job)
    const isMarkdown = written === 'markdown'
    try {
      return await sandbox.run(whose, {
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

/** Lost jobs are identified by text and language: links and the page don't affect the time. */
function languageOf(job: Job): string {
  return job.kind === 'code' ? `code ${job.language}` : (job.flavour.markup ?? 'markdown')
}
