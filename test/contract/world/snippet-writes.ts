/** Prepares writes of snippets, so that they succeed. */
import type { TestProject } from '../../support/forge.ts'
import type { Prepared } from './writes.ts'

const fresh = { title: 'Fresh', file_name: 'fresh.txt', content: 'text', visibility: 'private' }

/** @param idOf creates something at a path, and returns its id */
export function snippetWrites({ id }: TestProject, idOf: (path: string, body: unknown) => Promise<string>): Prepared {
  return {
    'POST /snippets': () => ({ body: fresh }),
    'PUT /snippets/:id': () => ({ body: { title: 'Edited' } }),
    'DELETE /snippets/:id': async () => ({ values: { personal_snippet_id: await idOf('/snippets', fresh) } }),
    'POST /projects/:id/snippets': () => ({ body: fresh }),
    'PUT /projects/:id/snippets/:snippet_id': () => ({ body: { title: 'Edited' } }),
    'DELETE /projects/:id/snippets/:snippet_id': async () => ({ values: { snippet_id: await idOf(`/projects/${id}/snippets`, fresh) } }),
  }
}
