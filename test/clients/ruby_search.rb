# Searches by Debian's ruby-gitlab, unmodified: ruby_search.rb URL TOKEN GPG_KEY
require 'gitlab'

url, token, = ARGV
api = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)

def check(what, found, expected)
  raise "#{what}: #{found.inspect} is not #{expected.inspect}" unless found == expected
end

group = api.create_group('Ruby Search', 'ruby-search', visibility: 'private')
id = api.create_project('Ruby marsupial', namespace_id: group.id, initialize_with_readme: true).id
main = api.project(id).default_branch || 'main'
api.create_commit(id, main, 'Add the bettong', [{ action: 'create', file_path: 'bettong.rb', content: "one\nbettong\n" }])
api.create_issue(id, 'Feed the bettong')
api.create_milestone(id, 'Bettong day')

check 'issues of the project', api.search_in_project(id, 'issues', 'bettong').map(&:title), ['Feed the bettong']
check 'code of the project', api.search_in_project(id, 'blobs', 'bettong').map(&:path), ['bettong.rb']
check 'commits', api.search_in_project(id, 'commits', 'bettong').map(&:title), ['Add the bettong']
check 'projects of the group', api.search_in_group(group.id, 'projects', 'marsupial').map(&:name), ['Ruby marsupial']
check 'milestones of the group', api.search_in_group(group.id, 'milestones', 'bettong').map(&:title), ['Bettong day']
check 'issues of everything', api.search_globally('issues', 'bettong').map(&:title), ['Feed the bettong']
check 'nothing', api.search_globally('issues', 'bettongs').to_a, []
puts 'all is well'
