/** Rendering of Markdown. */
import { Type } from 'typebox'
import { canDownload, findProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { tooLarge } from '../../../failure.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { anyone } from '../../../http/rules.ts'
import { Off, resource } from '../../../http/schema.ts'
import { webUrl } from '../../../links.ts'
import { renderFor, renderForAnybody } from './markdown.service.ts'
import type { ProjectHome } from './render.ts'

/** That takes about a second at worst, in a worker thread. */
const maxText_chars = 64 * 1024

export const markdown = [
  endpoint('POST /markdown', {
    summary: 'Render Markdown as HTML',
    operationId: 'renderMarkdown',
    access: anyone(),
    changesNothing: true,
    body: {
      text: Type.String({ description: `The Markdown; maximum ${maxText_chars} characters` }),
      gfm: Type.Unsafe<boolean>({ ...Off, description: 'With emoji and all other extensions of plain Markdown' }),
      project: Type.Optional(Type.String({ description: 'Path of the project that relative links refer to' })),
    },
    reply: resource('RenderedMarkdown', { html: Type.String() }),
    async handle({ app, ip, user, body: { text, gfm, project } }) {
      const home = project ? await homeOf(app, user, project) : undefined
      if (text.length > maxText_chars) throw tooLarge()
      const flavour = { gfm, home: gfm ? home : undefined }
      return { html: await (user ? renderFor(user, text, flavour) : renderForAnybody(ip, text, flavour)) }
    },
  }),
]

/** Throws 404 for a project the user can't see. */
async function homeOf(app: App, user: User | null, path: string): Promise<ProjectHome> {
  const access = await findProject(app.db, path, user)
  const { full_path, default_branch } = access.project
  return { url: webUrl(app.config, full_path), default_branch: canDownload(access, user) ? default_branch : null }
}
