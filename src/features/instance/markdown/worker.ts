/** The program of the thread that renders Markdown and other markup, and highlights code. */
import { deflateRawSync } from 'node:zlib'
import { serveJobs } from '../../../threads/serve.ts'
import { highlight } from './highlight.ts'
import { type Flavour, prepare, render, renderTemplate } from './render.ts'

/** The work that the thread does. */
export type Job =
  | { kind: 'markdown'; text: string; flavour: Flavour }
  | { kind: 'template'; text: string; flavour: Omit<Flavour, 'gfm'>; site: string }
  | { kind: 'code'; text: string; language: string }

/** A fast level, which compresses to a sixth of the size. */
const level = 3

serveJobs(async (job: Job) => {
  if (job.kind !== 'code') {
    const converted = await prepare(job.text, job.flavour)
    const made =
      job.kind === 'markdown' ? render(job.text, job.flavour, converted) : renderTemplate(job.text, job.flavour, job.site, converted)
    return { made }
  }
  const html = await highlight(job.language, job.text)
  if (html === null) return { made: null }
  // Compressed here, so that the process needs neither time to copy it nor space to store it.
  const bytes = new Uint8Array(deflateRawSync(html, { level }))
  return { made: bytes, transfer: [bytes.buffer] }
})
