/** Slash commands of chats: Slack and Mattermost send what people type, and display the reply (spec 4.23). */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { machines } from '../../../http/declare/machines.ts'
import { nameInPath, text } from '../../../http/parameters/schema.ts'
import { SlashCommandAnswer } from './answers.schema.ts'
import { answerCommand } from './trigger.service.ts'

const word = (description: string) => Type.Optional({ ...text(255), description })
const maxText = 65_536

export const slashCommands = [
  endpoint('POST /projects/:id/services/:slug/trigger', {
    summary: 'Run a slash command of a chat',
    access: machines('a chat, by the token of its integration'),
    params: { slug: nameInPath('slack_slash_commands or mattermost_slash_commands') },
    alias: 'POST /projects/:id/integrations/:slug/trigger',
    body: {
      token: Type.String({ description: 'That of the integration' }),
      team_id: word('The team in the chat'),
      team_domain: word('Its name'),
      user_id: word('Who asks, in the chat'),
      user_name: word('Their name'),
      command: word('The name of the slash command, for help'),
      text: Type.Optional({ ...text(maxText), description: 'What follows it: `help` tells what can be done' }),
    },
    reply: SlashCommandAnswer,
    status: 200,
    handle: ({ app, ip, params: { id, slug }, body }) => answerCommand(app, { id, slug, ip }, body),
  }),
]
