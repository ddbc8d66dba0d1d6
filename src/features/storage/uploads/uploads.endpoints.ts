/** Files attached to the texts of a project. They are served at the address of the project, outside of the API. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/endpoint.ts'
import { unarchivedProject } from '../../../http/rules.ts'
import { LargeFile, resource } from '../../../http/schema.ts'
import { maxUpload_bytes, storeUpload } from './uploads.service.ts'

const Link = resource('Upload', { alt: Type.String(), url: Type.String(), markdown: Type.String() })

export const uploads = [
  endpoint('POST /projects/:id/uploads', {
    summary: 'Upload a file, to be linked from a text of the project',
    access: unarchivedProject('signed-in'),
    body: { file: LargeFile },
    maxFile_bytes: maxUpload_bytes,
    reply: Link,
    fails: { too_large: 413 },
    handle: ({ app, user, project, body }) => storeUpload(app, project.id, user, body.file),
  }),
]
