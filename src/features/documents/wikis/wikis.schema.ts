/** Shapes of wiki pages and attachments (spec 2.12). */
import { Type } from 'typebox'
import { oneOf, resource } from '../../../http/parameters/schema.ts'
import { pageFormats } from './page-names.ts'

const format = Type.String({ description: `One of ${pageFormats.join(', ')}` })
const slug = Type.String({ description: 'The path of the page in the wiki, with hyphens for spaces' })

export const WikiPage = resource('WikiPage', {
  format,
  slug,
  title: Type.String(),
  content: Type.Optional(Type.String({ description: 'Of one page, and of lists with `with_content`' })),
  encoding: Type.Optional(Type.String({ description: 'Beside the content: UTF-8' })),
  front_matter: Type.Optional(
    Type.Object(
      {},
      { additionalProperties: true, description: 'Beside the content: what stands in YAML before the text, such as `title`' },
    ),
  ),
})

export const WikiAttachment = resource('WikiAttachment', {
  file_name: Type.String(),
  file_path: Type.String({ description: 'In the repository of the wiki' }),
  branch: Type.String(),
  link: Type.Object({ url: Type.String(), markdown: Type.String() }),
})

export const PageFormatParameter = oneOf(...pageFormats)
