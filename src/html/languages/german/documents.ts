/** German: pages of snippets. */
export const documents = {
  ' and {0}': ' und {0}',
  '<a>{0}</a> by {1}': '<a>{0}</a> von {1}',
  'A file without name and content is removed.': 'Eine Datei ohne Name und Inhalt wird entfernt.',
  'Add another file': 'Weitere Datei hinzufügen',
  'Content{0}': 'Inhalt{0}',
  'Create snippet': 'Snippet erstellen',
  'Created {0} by {1}': 'Erstellt {0} von {1}',
  'Delete snippet': 'Snippet löschen',
  'Delete this snippet': 'Dieses Snippet löschen',
  'Edit snippet': 'Snippet bearbeiten',
  Embed: 'Einbetten',
  'Explore snippets': 'Snippets entdecken',
  'File name{0}': 'Dateiname{0}',
  'It has invisible characters that change the order in which text is shown.':
    'Es enthält unsichtbare Zeichen, die die Reihenfolge des angezeigten Textes ändern.',
  'Its files and comments go with it. This can’t be undone.':
    'Seine Dateien und Kommentare werden ebenfalls gelöscht. Das lässt sich nicht rückgängig machen.',
  'Only you can see it; in a project, its members.': 'Nur du kannst es sehen; in einem Projekt dessen Mitglieder.',
  'Put this into a page of another site to show the snippet there.':
    'Füge das in die Seite einer anderen Website ein, um das Snippet dort zu zeigen.',
  Script: 'Skript',
  'Snippet {0} created': 'Snippet {0} erstellt',
  'Snippet {0} deleted': 'Snippet {0} gelöscht',
  'Snippet {0} saved': 'Snippet {0} gespeichert',
  'There are no snippets that everybody may see yet.': 'Es gibt noch keine Snippets, die alle sehen dürfen.',
  'There are no snippets yet. A snippet is a short text or piece of code to share.':
    'Es gibt noch keine Snippets. Ein Snippet ist ein kurzer Text oder ein Stück Code zum Teilen.',
  'Your snippets': 'Deine Snippets',
  'updated {0}': 'geändert {0}',
  '{0} New snippet': '{0} Neues Snippet',
  '{0}{1} · by <a>{2}</a>{3}': '{0}{1} · von <a>{2}</a>{3}',
}
