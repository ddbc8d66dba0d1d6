/** Files attached to Markdown of a project. They are served under the project's URL, outside of the API. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import { LargeFile, resource } from '../../../http/parameters/schema.ts'
import { maxUpload_bytes, storeUpload } from './uploads.service.ts'

const Link = resource('Upload', {
  alt: Type.String(),
  url: Type.String(),
  full_path: Type.String({ description: 'The URL without its host; newer clients link to it' }),
  markdown: Type.String(),
})

export const uploads = [
  endpoint('POST /projects/:id/uploads', {
    summary: 'Upload a file to link in Markdown of the project',
    access: unarchived(project('signed-in')),
    body: { file: LargeFile },
    maxFile_bytes: maxUpload_bytes,
    reply: Link,
    async handle({ app, user, project, body }) {
      const { alt, url, markdown } = await storeUpload(app, project.id, user, body.file)
      return { alt, url, full_path: `/${project.full_path}${url}`, markdown }
    },
  }),
]
