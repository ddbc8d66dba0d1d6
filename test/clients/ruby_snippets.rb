# Snippets by Debian's ruby-gitlab, unmodified: ruby_snippets.rb URL TOKEN

require 'gitlab'

url, token = ARGV
api = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)

def check(what, found, wanted)
  raise "#{what}: #{found.inspect}, not #{wanted.inspect}" unless found == wanted
end

own = api.create_user_snippet(title: 'Mine', file_name: 'a.rb', content: "puts 1\n", visibility: 'internal')
check 'own', api.user_snippets.map(&:title), ['Mine']
check 'raw', api.user_snippet_raw(own.id).to_s, "puts 1\n"
check 'edited', api.edit_user_snippet(own.id, visibility: 'public').visibility, 'public'
check 'public', api.public_snippets.map(&:id), [own.id]
check 'agent', api.snippet_user_agent_details(own.id).akismet_submitted, false
api.delete_user_snippet(own.id)
check 'none', api.user_snippets.to_a, []

project = api.create_project('Ruby Snippets').id
snippet = api.create_snippet(project, title: 'Ours', file_name: 'a.sh', code: "make\n", visibility: 'private')
check 'snippets', api.snippets(project).map(&:file_name), ['a.sh']
check 'content', api.snippet_content(project, snippet.id).to_s, "make\n"
check 'changed', api.edit_snippet(project, snippet.id, title: 'Still ours').title, 'Still ours'
note = api.create_snippet_note(project, snippet.id, 'Why?')
check 'note', api.edit_snippet_note(project, snippet.id, note.id, 'Why not?').body, 'Why not?'
check 'notes', api.snippet_notes(project, snippet.id).map(&:body), ['Why not?']
api.delete_snippet_note(project, snippet.id, note.id)
api.delete_snippet(project, snippet.id)
check 'gone', api.snippets(project).to_a, []
api.delete_project(project)
puts 'all is well'
