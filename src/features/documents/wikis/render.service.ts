/** Renders wiki pages as HTML for a reader. */
import type { Viewer } from '../../../access/visible.ts'
import type { WikiHome } from '../../../access/wikis.ts'
import type { App } from '../../../app.ts'
import { tooLarge } from '../../../failure.ts'
import { callerOf } from '../../../limits/callers.ts'
import { renderText } from '../../discussion/references/references.ts'
import { type ProjectHome, renderFile } from '../../instance/markdown/markdown.ts'
import type { Page } from './page-index.ts'
import { folderOf } from './page-names.ts'
import { readPage } from './page-text.ts'

/** Longer pages are displayed as plain text. */
const maxRendered_chars = 256 * 1024

interface PageReader {
  place: WikiHome
  user: Viewer
  ip: string
}

/**
 * The page in its format: references of a project lead as far as the reader can see. Throws 413 for one that
 * is too long, 503 where it takes too long, 429 when too many texts of this reader wait.
 */
export async function renderPage(
  app: App,
  { place, user, ip }: PageReader,
  page: Pick<Page, 'format' | 'slug'>,
  content: string,
  { within_page = false }: { within_page?: boolean } = {},
): Promise<string> {
  if (content.length > maxRendered_chars) throw tooLarge()
  const markup = page.format
  // On a page of ours Markdown shows its front matter as code.
  const text = markup === 'markdown' && within_page ? content : readPage(content).text
  const home = homeOf(app, place, page.slug)
  if (place.kind === 'project')
    return renderText(app, { project: place.row, level: place.level, user, ip }, text, { within_page, home, markup })
  return renderFile(callerOf(user, ip), text, { gfm: true, within_page, home, markup })
}

/** The base of the links on a page. */
function homeOf({ config }: App, place: WikiHome, slug: string): ProjectHome {
  const url = `${config.url}/${place.row.full_path}`
  const wiki = place.kind === 'project' ? `${url}/wikis` : `${config.url}/groups/${place.row.full_path}/-/wikis`
  return { url, default_branch: null, wiki, folder: folderOf(slug) }
}
