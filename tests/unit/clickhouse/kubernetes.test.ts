import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { type IService, Service } from 'kubernetes-models/v1/Service'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readConfig } from '../../../app/config.ts'
import packageJson from '../../../package.json' with { type: 'json' }

interface Resource {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: NonNullable<IDeployment['spec']> & Pick<NonNullable<IService['spec']>, 'ports'>
}

const root = new URL('../../../', import.meta.url)
const folder = new URL('clickhouse/kubernetes/', root)
const resources: Resource[] = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(new URL(file, folder), 'utf8')).map((document) => document.toJS()))
const named = resources.map((resource) => ({ ...resource, title: `${resource.kind} ${resource.metadata.name}` }))

const kinds = {
  Deployment: { Model: Deployment, module: 'apps/v1/Deployment' },
  StatefulSet: { Model: StatefulSet, module: 'apps/v1/StatefulSet' },
  Job: { Model: Job, module: 'batch/v1/Job' },
  PodDisruptionBudget: { Model: PodDisruptionBudget, module: 'policy/v1/PodDisruptionBudget' },
  Service: { Model: Service, module: 'v1/Service' },
}
const kindOf = ({ kind }: Pick<Resource, 'kind'>) => kinds[kind as keyof typeof kinds]

/** Kubernetes' schemas allow unknown fields, TypeScript in a literal does not. */
function typeErrors(checked: readonly Resource[]): string {
  const scratch = mkdtempSync(fileURLToPath(new URL('.kubernetes-', import.meta.url)))
  try {
    const lines = checked.map((resource, index) => {
      const type = `import('kubernetes-models/${kindOf(resource).module}').I${resource.kind}`
      return `export const resource${index}: ${type} = ${JSON.stringify(resource)}`
    })
    writeFileSync(join(scratch, 'resources.ts'), lines.join('\n'))
    const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, types: [], module: 'nodenext' }
    writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['resources.ts'] }))
    execFileSync('npx', ['tsc', '--project', scratch], { cwd: fileURLToPath(root), encoding: 'utf8', stdio: 'pipe' })
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

test.each(named)('$title follows Kubernetes’ schema', ({ title: _, ...resource }) => {
  expect(() => new (kindOf(resource).Model)(resource as never).validate()).not.toThrow()
})

test('no resource has an unknown field', () => {
  expect(typeErrors(resources)).toBe('')
  const misspelt = structuredClone(resources[0]) as unknown as { spec: Record<string, unknown> }
  misspelt.spec.replica = 3
  expect(typeErrors([misspelt as unknown as Resource])).toMatch(/replica.* does not exist/)
})

const pods = named.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
const containers = pods.map(({ title, spec }) => ({ title, spec, container: spec.template.spec?.containers[0] }))

test.each(containers)('$title sets variables that the programs read, and runs a file that exists', ({ container }) => {
  const environment = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]))
  const known = { ...readConfig({}), ...readConfig({ METRICS_PORT: '1', COLLECTOR_METRICS_PORT: '1' }) }
  const optional = ['CLICKHOUSE_URL', 'REDIS_URL']
  for (const name of Object.keys(environment)) expect([...Object.keys(known), ...optional]).toContain(name)
  expect(() => readConfig(environment)).not.toThrow()
  const file = container?.command?.find((word) => word.endsWith('.ts')) ?? 'app/serve.ts'
  expect(existsSync(new URL(file, root))).toBe(true)
})

test.each(containers)('$title runs the image of this version', ({ container }) => {
  expect(container?.image).toMatch(new RegExp(`:${packageJson.version}$`))
})

test.each(pods)('$title gets no variables of Services', ({ spec }) => {
  expect(spec.template.spec?.enableServiceLinks).toBe(false)
})

test.each(containers.filter(({ container }) => container?.readinessProbe))(
  '$title drains for longer than Kubernetes takes to see that it is not ready, and has time to end',
  ({ spec, container }) => {
    const drainSeconds = Number(/DRAIN_SECONDS=(\d+)/.exec(readFileSync(new URL('Dockerfile', root), 'utf8'))?.[1])
    const { periodSeconds = 10, failureThreshold = 3, timeoutSeconds = 1 } = container?.readinessProbe ?? {}
    expect(drainSeconds).toBeGreaterThan(periodSeconds * failureThreshold + timeoutSeconds)
    expect(spec.template.spec?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drainSeconds + 10 + 10)
  },
)

test('services and disruption budgets select the pods of one workload, by ports that it has', () => {
  const selecting = named.filter(({ kind }) => ['Service', 'PodDisruptionBudget'].includes(kind))
  expect(selecting).toHaveLength(3)
  for (const { title, spec } of selecting) {
    const { matchLabels = spec.selector as Record<string, string> } = spec.selector
    const name = matchLabels['app.kubernetes.io/name']
    const found = pods.filter(({ spec }) => spec.template.metadata?.labels?.['app.kubernetes.io/name'] === name)
    expect(found, title).toHaveLength(1)
    const ports = found[0]?.spec.template.spec?.containers[0]?.ports?.map(({ name }) => name)
    for (const { targetPort } of spec.ports ?? []) expect(ports).toContain(targetPort)
  }
})
