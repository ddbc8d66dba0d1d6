# Wikis of projects by Debian's ruby-gitlab, unmodified: ruby_wikis.rb URL TOKEN

require 'gitlab'

url, token = ARGV
api = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)

def check(what, found, wanted)
  raise "#{what}: #{found.inspect}, not #{wanted.inspect}" unless found == wanted
end

def refused(*statuses)
  yield
rescue Gitlab::Error::ResponseError => e
  check('refused', statuses.include?(e.response_status) || e.response_status, true)
else
  raise "not refused with #{statuses}"
end

id = api.create_project('Ruby Wiki').id
check('empty', api.wikis(id).to_a, [])
made = api.create_wiki(id, 'Set up', '= Set up', format: 'rdoc')
check('made', [made.slug, made.title, made.format, made.content], ['Set-up', 'Set up', 'rdoc', '= Set up'])
refused(400) { api.create_wiki(id, 'Set up', 'again') }
check('list', api.wikis(id, with_content: 1).map { |page| [page.slug, page.content] }, [['Set-up', '= Set up']])
check('one', api.wiki(id, 'Set-up').content, '= Set up')
changed = api.update_wiki(id, 'Set-up', title: 'Install', content: '= Install')
check('changed', [changed.slug, changed.content], ['Install', '= Install'])
refused(404) { api.wiki(id, 'Set-up') }
api.delete_wiki(id, 'Install')
check('empty again', api.wikis(id).to_a, [])
puts 'all is well'
