/** Sentences of the pages of connected chats. */
export const purpose =
  'Who types a slash command in Slack or Mattermost connects their account once for each project. From then on their commands act as them.'
export const none = 'No user of a chat is connected to your account.'
export const hiddenProject = 'a project that you can not see any more'
export const onlyYourself = 'Connect it only if that is you, and if you just typed a command there.'
export const connected = 'The chat is connected. Type your command again.'
export const notConnected = 'The chat was not connected.'
export const disconnected = 'The chat is not connected any more.'
export const notWhileActingAsAnother = 'While you act as another user, you can’t connect chats to them.'
