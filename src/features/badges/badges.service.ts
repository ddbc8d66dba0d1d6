/** The rules of badges: what their addresses may be, and what stands in them for each project. */
import { refuseWith } from '../complaints.ts'

export interface BadgeUrls {
  link_url: string
  image_url: string
}

const longest = 2_048

/** The addresses without spaces around them. Throws 400 unless both are of web pages. */
export function acceptUrls(sent: BadgeUrls): BadgeUrls {
  const urls = { link_url: sent.link_url.trim(), image_url: sent.image_url.trim() }
  refuseWith({ link_url: complainOfUrl(urls.link_url), image_url: complainOfUrl(urls.image_url) })
  return urls
}

function complainOfUrl(text: string): string | null {
  if (text === '') return 'must be a valid URL'
  if (text.length > longest) return `is too long (maximum is ${longest} characters)`
  // Browsers leave out line breaks and tabs: what follows them would be read as something else than what stands there.
  if (/[\s\p{Cc}<>"\\]/u.test(text) || !URL.canParse(text)) return 'is blocked: URI is invalid'
  if (!/^https?:\/\//i.test(text)) return 'is blocked: Only allowed protocols are http, https'
  return null
}

/** What placeholders stand for; null for what the project has not, or the reader may not know. */
export type Placeholders = Record<'project_path' | 'project_id' | 'default_branch' | 'commit_sha', string | null>

/** The address with the values in the place of `%{project_path}` and the others; what has no value stays as it is. */
export function fillIn(url: string, values: Placeholders): string {
  return url.replace(/%\{(project_path|project_id|default_branch|commit_sha)\}/g, (placeholder, name: keyof Placeholders) => {
    const value = values[name]
    // A branch may be called anything: only its slashes mean something here.
    return value === null ? placeholder : value.split('/').map(encodeURIComponent).join('/')
  })
}
