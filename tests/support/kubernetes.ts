/** @module The manifests of `clickhouse/kubernetes`, and what Kubernetes' schemas make of them. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { type IService, Service } from 'kubernetes-models/v1/Service'
import { parseAllDocuments } from 'yaml'

export interface Resource {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec: NonNullable<IDeployment['spec']> & Pick<NonNullable<IService['spec']>, 'ports'>
  readonly data?: Readonly<Record<string, string>>
}

export const manifests = new URL('../../clickhouse/kubernetes/', import.meta.url)

const readResources = (text: string): Resource[] => parseAllDocuments(text).map((document) => document.toJS())

/** Resources of the files of a folder, such as `base/`. */
export const resourcesOf = (folder: string): Resource[] =>
  readdirSync(new URL(folder, manifests))
    .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    .flatMap((file) => readResources(readFileSync(new URL(folder + file, manifests), 'utf8')))

export const hasPods = ({ kind }: Resource) => ['Deployment', 'StatefulSet', 'Job'].includes(kind)

export const podOf = ({ spec }: Resource) => spec.template.spec

export const containerOf = (resource: Resource) => {
  const container = podOf(resource)?.containers[0]
  if (!container) throw new Error(`${resource.metadata.name} has no container`)
  return container
}

const kinds = {
  Deployment: { Model: Deployment, module: 'apps/v1/Deployment' },
  StatefulSet: { Model: StatefulSet, module: 'apps/v1/StatefulSet' },
  Job: { Model: Job, module: 'batch/v1/Job' },
  PodDisruptionBudget: { Model: PodDisruptionBudget, module: 'policy/v1/PodDisruptionBudget' },
  NetworkPolicy: { Model: NetworkPolicy, module: 'networking.k8s.io/v1/NetworkPolicy' },
  Ingress: { Model: Ingress, module: 'networking.k8s.io/v1/Ingress' },
  ConfigMap: { Model: ConfigMap, module: 'v1/ConfigMap' },
  Service: { Model: Service, module: 'v1/Service' },
}
const kindOf = ({ kind }: Pick<Resource, 'kind'>) => kinds[kind as keyof typeof kinds]

/** Throws if a value breaks the schema; unknown fields are found by `typeErrors`. */
export function validateResource(resource: Resource): void {
  const { Model } = kindOf(resource)
  new Model(resource as never).validate()
}

/** Kubernetes' schemas allow unknown fields, TypeScript in a literal does not. */
export function typeErrors(checked: readonly Resource[]): string {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const scratch = mkdtempSync(join(root, 'tests/support/.kubernetes-'))
  try {
    const lines = checked.map((resource, index) => {
      const type = `import('kubernetes-models/${kindOf(resource).module}').I${resource.kind}`
      return `export const resource${index}: ${type} = ${JSON.stringify(resource)}`
    })
    writeFileSync(join(scratch, 'resources.ts'), lines.join('\n'))
    const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, types: [], module: 'nodenext' }
    writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['resources.ts'] }))
    execFileSync('npx', ['tsc', '--project', scratch], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  } finally {
    rmSync(scratch, { recursive: true })
  }
}
