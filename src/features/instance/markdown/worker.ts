/** The program of the thread that renders Markdown and other markup, and highlights code: a job comes in, what it makes goes out. */
import { parentPort } from 'node:worker_threads'
import { deflateRawSync } from 'node:zlib'
import { highlight } from './highlight.ts'
import { type Flavour, prepare, render, renderTemplate } from './render.ts'

/** What the thread does. */
export type Job =
  | { kind: 'markdown'; text: string; flavour: Flavour }
  | { kind: 'template'; text: string; flavour: Omit<Flavour, 'gfm'>; site: string }
  | { kind: 'code'; text: string; language: string }

/** Fast, and a sixth of the size. */
const level = 3

async function run(job: Job): Promise<void> {
  if (job.kind !== 'code') {
    const converted = await prepare(job.text, job.flavour)
    return parentPort?.postMessage(
      job.kind === 'markdown' ? render(job.text, job.flavour, converted) : renderTemplate(job.text, job.flavour, job.site, converted),
    )
  }
  const html = await highlight(job.language, job.text)
  if (html === null) return parentPort?.postMessage(null)
  // Compressed here, it costs the process neither the time to copy it nor the space to keep it.
  const bytes = new Uint8Array(deflateRawSync(html, { level }))
  parentPort?.postMessage(bytes, [bytes.buffer])
}

// What it throws ends the thread, and the one who sent the job learns it.
parentPort?.on('message', run)
