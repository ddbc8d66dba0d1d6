/**
 * Converts markup other than Markdown to HTML, which is not yet safe: `render.ts` sanitizes it. Each library is loaded with the first text
 * of its format.
 */
import { renderOrg } from './org.ts'
import { renderRdoc } from './rdoc.ts'

/** The formats of texts. */
export type Markup = 'markdown' | 'rdoc' | 'asciidoc' | 'org' | 'textile'

export async function convert(markup: Exclude<Markup, 'markdown'>, text: string): Promise<string> {
  if (markup === 'rdoc') return renderRdoc(text)
  if (markup === 'org') return renderOrg(text)
  return markup === 'textile' ? convertTextile(text) : convertAsciidoc(text)
}

async function convertTextile(text: string): Promise<string> {
  const { default: textile } = await import('textile-js')
  return textile(text)
}

/** `secure` reads no files: includes become links. */
async function convertAsciidoc(text: string): Promise<string> {
  const { convert: toHtml, LoggerManager, NullLogger } = await import('@asciidoctor/core')
  // Errors in a text are visible in its output.
  LoggerManager.setLogger(NullLogger.create())
  const attributes = { showtitle: '', idprefix: '', idseparator: '-', outfilesuffix: '.adoc' }
  return String(await toHtml(text, { safe: 'secure', standalone: false, attributes }))
}
