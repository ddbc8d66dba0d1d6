# CI by Debian's ruby-gitlab, unmodified: ruby_ci.rb URL TOKEN

require 'gitlab'
require 'json'
require 'net/http'

url, token = ARGV
api = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)

def check(what, found, wanted)
  raise "#{what}: #{found.inspect}, not #{wanted.inspect}" unless found == wanted
end

project = api.create_project('Ruby CI')
id = project.id
config = "build: {script: [make], environment: {name: live}}\nhand: {stage: deploy, script: [make], when: manual}\n"
api.create_file(id, '.gitlab-ci.yml', 'main', config, 'Add the CI file')

runner = api.register_runner(project.runners_token, description: 'ruby')
check 'renamed', api.update_runner(runner.id, description: 'renamed').description, 'renamed'
check 'runners', api.project_runners(id).map(&:description), ['renamed']
api.verify_auth_registered_runner(runner.token)

# As agents do.
def run_next(url, token)
  headers = { 'Content-Type' => 'application/json' }
  500.times do
    answer = Net::HTTP.post(URI("#{url}/api/v4/jobs/request"), { token: token }.to_json, headers)
    next sleep(0.02) if answer.code == '204'

    job = JSON.parse(answer.body)
    at = URI("#{url}/api/v4/jobs/#{job['id']}")
    Net::HTTP.start(at.host, at.port) do |http|
      range = { 'Job-Token' => job['token'], 'Content-Range' => '0-4' }
      check 'trace', http.patch("#{at.path}/trace", 'hello', range).code, '202'
      check 'end', http.put(at.path, { token: job['token'], state: 'success' }.to_json, headers).code, '200'
    end
    return job['id']
  end
  raise 'no job came'
end

done = run_next(url, runner.token)
check 'job', api.job(id, done).status, 'success'
check 'log', api.job_trace(id, done).to_s, 'hello'
check 'jobs of the runner', api.runner_jobs(runner.id).map(&:id), [done]
pipeline = api.create_pipeline(id, 'main', GIVEN: '1')
check 'pipelines', api.pipelines(id).map(&:id).first, pipeline.id
check 'jobs', api.pipeline_jobs(id, pipeline.id).map(&:name), %w[build hand]
check 'bridges', api.pipeline_bridges(id, pipeline.id).to_a, []
check 'report', api.pipeline_test_report(id, pipeline.id).total_count, 0
check 'canceled', api.cancel_pipeline(id, pipeline.id).status, 'canceled'
check 'retried', api.retry_pipeline(id, pipeline.id).status, 'pending'
hand = nil
# The stage after a finished job begins in the background.
500.times do
  hand = api.jobs(id).find { |job| job.name == 'hand' && job.status == 'manual' }
  hand ? break : sleep(0.05)
end
check 'played', api.job_play(id, hand.id).status, 'pending'
check 'canceled job', api.job_cancel(id, hand.id).status, 'canceled'
check 'retried job', api.job_retry(id, done).name, 'build'
api.job_erase(id, done)
api.cancel_pipeline(id, pipeline.id)
api.delete_pipeline(id, pipeline.id)

api.create_variable(id, 'PLACE', 'here')
check 'variable', api.update_variable(id, 'PLACE', 'there').value, 'there'
check 'variables', api.variables(id).map(&:key), ['PLACE']
api.remove_variable(id, 'PLACE')
trigger = api.create_trigger(id, 'for a machine')
check 'triggered', api.run_trigger(id, trigger.token, 'main', BY: 'machine').ref, 'main'
api.remove_trigger(id, trigger.id)
schedule = api.create_pipeline_schedule(id, description: 'nightly', ref: 'main', cron: '0 1 * * *')
api.create_pipeline_schedule_variable(id, schedule.id, key: 'WHEN', value: 'night')
check 'edited', api.edit_pipeline_schedule(id, schedule.id, description: 'each night').description, 'each night'
check 'owner', api.pipeline_schedule_take_ownership(id, schedule.id).owner.username, 'root'
api.delete_pipeline_schedule(id, schedule.id)

check 'deployments', api.deployments(id).map(&:status).include?('success'), true
live = api.environments(id).find { |one| one.name == 'live' }
check 'edited environment', api.edit_environment(id, live.id, external_url: 'https://live.example.com').external_url, 'https://live.example.com'
check 'stopped', api.stop_environment(id, live.id).state, 'stopped'
api.delete_environment(id, live.id)
api.delete_runner(runner.id)
api.delete_project(id)
puts 'all is well'
