/** German: pages of the search. */
export const search = {
  ' · closed': ' · geschlossen',
  ' · due {0}': ' · fällig {0}',
  'All that match: <a>branches</a>, <a2>tags</a2>': 'Alle Treffer: <a>Branches</a>, <a2>Tags</a2>',
  "An expression in RE2's syntax, matched against each line, ignoring case. It must have 3 characters in a row that are always there.":
    'Ein Ausdruck in der Syntax von RE2, der auf jede Zeile angewendet wird, ohne Groß- und Kleinschreibung zu beachten. Er muss 3 aufeinanderfolgende Zeichen enthalten, die immer vorkommen.',
  'Code can be searched within a project. The index over all projects is turned off.':
    'Code kann innerhalb eines Projekts durchsucht werden. Der Index über alle Projekte ist ausgeschaltet.',
  Everywhere: 'Überall',
  'Files are found by a text in them or in their path, ignoring case. filename:, path: and extension: narrow the search.':
    'Dateien werden nach einem Text in ihnen oder in ihrem Pfad gefunden, ohne Groß- und Kleinschreibung zu beachten. filename:, path: und extension: grenzen die Suche ein.',
  'Kinds of results': 'Arten von Treffern',
  'Lines of {0}': 'Zeilen aus {0}',
  'No file that you may read has this text.': 'Keine Datei, die du lesen darfst, enthält diesen Text.',
  'No page of the wiki has this text.': 'Keine Seite des Wikis enthält diesen Text.',
  'No snippet that you may read matches.': 'Kein Snippet gefunden, das du lesen darfst.',
  'Only the first results are shown. Refine your search.': 'Nur die ersten Treffer werden angezeigt. Grenze deine Suche ein.',
  'Regular expression': 'Regulärer Ausdruck',
  'Regular expressions are searched for in the default branch only.': 'Nach regulären Ausdrücken wird nur im Standard-Branch gesucht.',
  'Regular expressions need the index of code, which is turned off.': 'Reguläre Ausdrücke brauchen den Code-Index, der ausgeschaltet ist.',
  'Search for at least 3 characters.': 'Suche nach mindestens 3 Zeichen.',
  'Search{0}': 'Suche{0}',
  'Several words must all occur; words in quotes stand together. #12 is an issue, !12 a merge request.':
    'Mehrere Wörter müssen alle vorkommen; Wörter in Anführungszeichen stehen zusammen. #12 ist ein Issue, !12 ein Merge-Request.',
  'Sign in to find users.': 'Melde dich an, um Personen zu finden.',
  'Snippet contents': 'Inhalt von Snippets',
  'The index has not read the last push to {0}.': 'Der Index hat den letzten Push noch nicht gelesen in: {0}.',
  'This repository is empty, or you can’t read its code.': 'Dieses Repository ist leer, oder du kannst seinen Code nicht lesen.',
  '{0} merge request|{0} merge requests': '{0} Merge-Request|{0} Merge-Requests',
  '{0} place|{0} places': '{0} Stelle|{0} Stellen',
  '{0} ref|{0} refs': '{0} Branch oder Tag|{0} Branches oder Tags',
  '{0} · Search': '{0} · Suche',
}
