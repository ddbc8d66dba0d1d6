/** The quick action of commits: `/tag v1.2.3 message` in a note tags the commit, if its author may push tags. */
import { pageUrl } from '../../../addresses/links.ts'
import { tagAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import type { SystemText } from '../../discussion/notes/notes.ts'
import type { Pusher } from '../../repository/pushes/pushes.ts'
import { createTag } from '../../repository/tags/tags.ts'
import type { Command, Interpreted } from '../quick-actions/quick-actions.ts'

/** The result of the quick actions of a note on a commit. */
export interface TaggedCommit {
  commands: Interpreted
  /** The text for a system note; null if no tag was created. */
  text: SystemText | null
}

/** Creates the tag that the last `/tag` asks for. Like every quick action, it can be refused without failing the request. */
export async function tagCommit(app: App, pusher: Pusher, ref: string, commands: Command[]): Promise<TaggedCommit> {
  const asked = commands.findLast(({ name }) => name === 'tag')
  const [, tag_name, message = ''] = /^(\S+)(?: (.*))?$/s.exec(asked?.argument ?? '') ?? []
  const isTagged = tag_name !== undefined && (await isCreated(app, pusher, { tag_name, ref, message: message.trimStart() }))
  const refused = isTagged ? commands.filter(({ name }) => name !== 'tag') : commands
  const refusals = [...new Set(refused.map(({ name }) => `Could not apply ${name} command.`))]
  if (!isTagged) return { commands: { updates: {}, summary: [], refusals }, text: null }
  const body = `tagged commit ${ref} to [\`${tag_name}\`](${pageUrl(app.config, tagAddress(pusher.project, tag_name))})`
  return { commands: { updates: {}, summary: [`Tagged this commit to ${tag_name}.`], refusals }, text: { action: 'tag', body } }
}

async function isCreated(app: App, pusher: Pusher, tag: Parameters<typeof createTag>[2]): Promise<boolean> {
  try {
    await createTag(app, pusher, tag)
    return true
  } catch (error) {
    if (error instanceof Failure && ['method_not_allowed', 'forbidden', 'not_found'].includes(error.code)) return false
    throw error
  }
}
