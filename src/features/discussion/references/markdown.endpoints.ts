/** Renders Markdown, with the references of a project. */
import { Type } from 'typebox'
import { findProject } from '../../../access/find.ts'
import { tooLarge } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { Off, resource } from '../../../http/parameters/schema.ts'
import { callerOf } from '../../../limits/callers.ts'
import { countAnonymousText, renderFile } from '../../instance/markdown/markdown.ts'
import { renderText } from './render.service.ts'

/** Takes about a second in the worst case, in the sandbox. */
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
      project: Type.Optional(Type.String({ description: 'Path of the project that references and relative links refer to' })),
    },
    reply: resource('RenderedMarkdown', { html: Type.String() }),
    async handle({ app, ip, user, body: { text, gfm, project } }) {
      const access = project ? await findProject(app.db, project, user) : null
      if (text.length > maxText_chars) throw tooLarge()
      if (!user) countAnonymousText(ip)
      if (!gfm || !access) return { html: await renderFile(callerOf(user, ip), text, { gfm }) }
      return { html: await renderText(app, { ...access, user, ip }, text) }
    },
  }),
]
