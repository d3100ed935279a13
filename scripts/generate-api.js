// Writes api/public.d.ts: everything a program can import from the package, entry by entry, and every type those declarations mention. Read
// from dist after a build, so that a change of the public surface is seen in review; a test fails while the file is stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Node, Project, SyntaxKind } from 'ts-morph'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')

/** The text of api/public.d.ts. */
export function publicApi() {
  const project = new Project({
    compilerOptions: { module: 199, moduleResolution: 99, target: 9, skipLibCheck: true, types: [] },
  })
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entries = Object.entries(exports).filter(([, { types }]) => types !== undefined)
  const files = entries.map(([entry, { types }]) => [entry, project.addSourceFileAtPath(join(root, types))])
  project.resolveSourceFileDependencies()
  const exported = files.map(([entry, file]) => [entry, [...file.getExportedDeclarations()]])
  const queue = exported.flatMap(([, names]) => names.flatMap(([, declarations]) => declarations))
  const seen = new Set(queue)
  while (queue.length > 0) {
    for (const next of declarationsMentionedIn(queue.shift())) {
      if (seen.has(next)) continue
      seen.add(next)
      queue.push(next)
    }
  }
  const lists = exported.map(([entry, names]) => {
    const sorted = names.map(([name]) => name).sort()
    return `// ${entry.replace('.', 'holdfast')}: ${sorted.length} names\n//   ${sorted.join('\n//   ')}`
  })
  return `${[...lists, ...[...new Set([...seen].map(textOf))].sort()].join('\n\n')}\n`
}

/** Declarations of this package that a declaration names. */
function declarationsMentionedIn(declaration) {
  const names = declaration.getDescendantsOfKind(SyntaxKind.Identifier)
  return names.flatMap((name) => {
    const symbol = name.getSymbol()
    const found = (symbol?.getAliasedSymbol() ?? symbol)?.getDeclarations() ?? []
    return found.filter(
      (each) => isTopLevel(each) && !relative(dist, each.getSourceFile().getFilePath()).startsWith('..'),
    )
  })
}

const isTopLevel = (node) =>
  Node.isInterfaceDeclaration(node) ||
  Node.isTypeAliasDeclaration(node) ||
  Node.isClassDeclaration(node) ||
  Node.isFunctionDeclaration(node) ||
  Node.isVariableDeclaration(node)

/** Without comments: a better sentence is no change of the surface. */
function textOf(declaration) {
  const node = Node.isVariableDeclaration(declaration)
    ? declaration.getVariableStatementOrThrow()
    : declaration
  return node
    .getText()
    .replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/^(export )?(declare )?/, '')
    .trim()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(join(root, 'api'), { recursive: true })
  writeFileSync(join(root, 'api', 'public.d.ts'), publicApi())
}
