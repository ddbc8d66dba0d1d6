/** Applying suggestions (newer than the API of spec 4.6). */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { Id, type Presented } from '../../../http/parameters/schema.ts'
import { SuggestionInNote } from '../../review/diff-notes/diff-notes.schema.ts'
import { presentSuggestion } from '../../review/diff-notes/diff-notes.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { applySuggestions, type Placed } from './suggestions.service.ts'

const commit_message = Type.Optional(Type.String({ description: 'In place of that by the template of the project' }))

export const suggestions = [
  endpoint('PUT /suggestions/:suggestion_id/apply', {
    summary: 'Apply a suggestion as a commit on the source branch',
    access: signedIn(),
    params: { suggestion_id: Id },
    body: { commit_message },
    reply: SuggestionInNote,
    async handle({ app, user, params, body }) {
      const [presented] = await present(app, await applySuggestions(app, user, [params.suggestion_id], body.commit_message ?? null))
      return presented as NonNullable<typeof presented>
    },
  }),
  endpoint('PUT /suggestions/batch_apply', {
    summary: 'Apply suggestions of one merge request, in one commit',
    access: signedIn(),
    body: { ids: Type.Array(Id, { minItems: 1 }), commit_message },
    reply: Type.Array(SuggestionInNote),
    handle: async ({ app, user, body }) => present(app, await applySuggestions(app, user, body.ids, body.commit_message ?? null)),
  }),
]

async function present(app: App, placed: Placed[]): Promise<Array<Presented<typeof SuggestionInNote>>> {
  const merge_request = await mergeRequestById(app.db, placed[0]?.note.merge_request_id ?? 0)
  return merge_request ? placed.map(({ suggestion, note }) => presentSuggestion(suggestion, note, merge_request)) : []
}
