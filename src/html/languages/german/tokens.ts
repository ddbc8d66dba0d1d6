/** German: pages of access tokens of projects and groups. */
export const tokens = {
  'A token lets a program act in this group without being a person. It has a bot user of its own, who is a member here and nowhere else.':
    'Mit einem Token handelt ein Programm in dieser Gruppe, ohne eine Person zu sein. Es hat einen eigenen Bot, der nur hier Mitglied ist.',
  'A token lets a program act in this project without being a person. It has a bot user of its own, who is a member here and nowhere else.':
    'Mit einem Token handelt ein Programm in diesem Projekt, ohne eine Person zu sein. Es hat einen eigenen Bot, der nur hier Mitglied ist.',
  'Clone and fetch by git over HTTP': 'Mit Git über HTTP klonen und fetchen',
  'Clone, fetch and push by git over HTTP': 'Mit Git über HTTP klonen, fetchen und pushen',
  'Everything that can be read through the API': 'Alles, was sich über die API lesen lässt',
  'Everything the API can do with its role, and git': 'Alles, was die API mit seiner Rolle kann, und Git',
  'No effect: there is no container registry': 'Ohne Wirkung: Es gibt keine Container-Registry',
  'No token has been revoked or has expired.': 'Kein Token wurde widerrufen oder ist abgelaufen.',
  'Programs that use it are refused from now on. Its bot user is removed from the members.':
    'Programme, die es benutzen, werden ab sofort abgewiesen. Sein Bot wird aus den Mitgliedern entfernt.',
  'Revoke {0}': '{0} widerrufen',
  'Rotate this token itself': 'Dieses Token selbst erneuern',
  'Rotate<span> {0}</span>': 'Erneuern<span> {0}</span>',
  'The token stops working at the start of this day, in UTC. Leave it empty for no end.':
    'Das Token wird zu Beginn dieses Tages (UTC) ungültig. Leer lassen für kein Ende.',
  'There are no tokens yet.': 'Es gibt noch keine Token.',
  'What the bot user may do. No higher than your own role.': 'Was der Bot darf. Nicht höher als deine eigene Rolle.',
  'no expiry': 'ohne Ablaufdatum',
  revoked: 'widerrufen',
  '{0}{1} · created {2} · {3} · {4}': '{0}{1} · erstellt {2} · {3} · {4}',
}
