/** The appearance as every page and mail shows it, kept in memory so that none of them needs a statement. */
import { hash } from 'node:crypto'
import type { App } from '../../../app.ts'
import { Html, html } from '../../../html/untranslated.ts'
import { renderProse } from '../../instance/markdown/markdown.ts'
import { type ImageName, imageNames } from './appearance.fields.ts'
import { readableOn } from './contrast.ts'
import { type Appearance, imagePath, readAppearance } from './stored.service.ts'

export interface ShownAppearance {
  /** Empty unless administrators have named the instance. */
  title: string
  /** In Markdown; empty texts are null. */
  description: string | null
  new_project_guidelines: string | null
  member_guidelines: string | null
  profile_image_guidelines: string | null
  /** Browsers show these for an installed web app; empty texts are null. */
  pwa: { name: string | null; short_name: string | null; description: string | null }
  /** URLs, which change with the image. */
  images: Record<ImageName, string | null>
  /** Above and below every page. */
  header: Message | null
  footer: Message | null
  /** The rules of their colours, and a digest of them; null without messages. */
  style: { text: string; digest: string } | null
  /** Whether mail begins and ends with the messages. */
  isInMail: boolean
}

export interface Message {
  markdown: string
  html: Html
}

const plain: ShownAppearance = {
  title: '',
  description: null,
  new_project_guidelines: null,
  member_guidelines: null,
  profile_image_guidelines: null,
  pwa: { name: null, short_name: null, description: null },
  images: { logo: null, header_logo: null, favicon: null, pwa_icon: null },
  header: null,
  footer: null,
  style: null,
  isInMail: false,
}

/** By the limits of a process, which views of its `App` share. */
const shown = new WeakMap<App['limits'], { stored: string; appearance: ShownAppearance }>()

/** The current appearance, without a statement: it is loaded when it changes. */
export function appearanceOf({ limits }: Pick<App, 'limits'>): ShownAppearance {
  return shown.get(limits)?.appearance ?? plain
}

/** Reads it anew; nothing is rendered again unless it has changed. */
export async function loadAppearance(app: App): Promise<void> {
  const read = await readAppearance(app.db)
  const stored = JSON.stringify(read)
  if (shown.get(app.limits)?.stored !== stored) shown.set(app.limits, { stored, appearance: await shownAs(read) })
}

/** How soon a change by another process is shown. */
const interval_ms = 1_000

/** Loads it now, and again regularly. Returns a function that stops this. */
export async function watchAppearance(app: App): Promise<() => void> {
  await loadAppearance(app)
  // While the database is unavailable it stays as it is; the queue logs the outage.
  const timer = setInterval(() => void loadAppearance(app).catch(() => {}), interval_ms)
  timer.unref()
  return () => clearInterval(timer)
}

async function shownAs(read: Appearance): Promise<ShownAppearance> {
  const orNull = (text: string) => (text.trim() === '' ? null : text)
  const [header, footer] = await Promise.all([messageOf(read.header_message), messageOf(read.footer_message)])
  return {
    title: read.title.trim(),
    description: orNull(read.description),
    new_project_guidelines: orNull(read.new_project_guidelines),
    member_guidelines: orNull(read.member_guidelines),
    profile_image_guidelines: orNull(read.profile_image_guidelines),
    pwa: { name: orNull(read.pwa_name), short_name: orNull(read.pwa_short_name), description: orNull(read.pwa_description) },
    images: Object.fromEntries(imageNames.map((name) => [name, versionedUrl(read, name)])) as ShownAppearance['images'],
    header,
    footer,
    style: header || footer ? styleOf(read) : null,
    isInMail: read.email_header_and_footer_enabled,
  }
}

/** If nothing can be rendered now its source is shown: the message may be about just that. */
async function messageOf(markdown: string): Promise<Message | null> {
  if (markdown.trim() === '') return null
  const rendered = await renderProse(markdown).catch(() => null)
  return { markdown, html: rendered === null ? html`<p>${markdown}</p>` : new Html(rendered) }
}

/** The colours are checked where they are set: nothing else of a style can be in them. */
function styleOf({ message_background_color: ground, message_font_color: wanted }: Appearance): { text: string; digest: string } {
  const text = `.message-bar,.message-bar a{background:${ground};color:${readableOn(ground, wanted)}}\n`
  return { text, digest: hash('sha256', text).slice(0, 16) }
}

function versionedUrl(read: Appearance, name: ImageName): string | null {
  const path = imagePath(read, name)
  return path === null ? null : `${path}?v=${read.images[name].avatar_key?.split('/').at(-1)}`
}
