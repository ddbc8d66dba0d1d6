/** Sentences of the pages of connected chats. */
import { t } from '../../../html/sentences.ts'

export const purpose = () =>
  t`Who types a slash command in Slack or Mattermost connects their account once for each project. From then on their commands act as them.`
export const none = () => t`No user of a chat is connected to your account.`
export const hiddenProject = () => t`a project that you can not see any more`
export const onlyYourself = () => t`Connect it only if that is you, and if you just typed a command there.`
export const connected = () => t`The chat is connected. Type your command again.`
export const notConnected = () => t`The chat was not connected.`
export const disconnected = () => t`The chat is not connected any more.`
export const notWhileActingAsAnother = () => t`While you act as another user, you can’t connect chats to them.`
