/** The program of the process that renders Markdown and other markup, and highlights code. */
import { deflateRawSync } from 'node:zlib'
import { serveJobs } from '../../../sandbox/serve.ts'
import { highlight } from './highlight.ts'
import { type Flavour, prepare, render, renderTemplate } from './render.ts'

/** The work that it does. */
export type Job =
  | { kind: 'markdown'; text: string; flavour: Flavour }
  | { kind: 'template'; text: string; flavour: Omit<Flavour, 'gfm'>; site: string }
  | { kind: 'code'; text: string; language: string }

/** A fast level, which compresses to a sixth of the size. */
const level = 3

serveJobs(async (job: Job) => {
  if (job.kind !== 'code') {
    const converted = await prepare(job.text, job.flavour)
    return job.kind === 'markdown' ? render(job.text, job.flavour, converted) : renderTemplate(job.text, job.flavour, job.site, converted)
  }
  const html = await highlight(job.language, job.text)
  // Compressed here, so that the server needs neither time to copy it nor space to store it.
  return html === null ? null : new Uint8Array(deflateRawSync(html, { level }))
})
