import type { AnyNode, BranchNode, PipeNode } from './ast.ts';
import { quote } from './quoting.ts';

/** Returns a node as template source in Go's normal form, which execution errors show in `at <...>`. */
export function nodeText(node: AnyNode): string {
  switch (node.kind) {
    case 'list':
      return node.nodes.map(nodeText).join('');
    case 'text':
      return node.text;
    case 'action':
      return `{{${nodeText(node.pipe)}}}`;
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`;
    case 'if':
    case 'range':
    case 'with':
      return branchText(node);
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe === undefined ? '' : ` ${nodeText(node.pipe)}`}}}`;
    default:
      return operandText(node);
  }
}

function operandText(
  node: Exclude<AnyNode, { kind: 'list' | 'text' | 'action' | 'template' } | BranchNode>,
): string {
  switch (node.kind) {
    case 'command':
      return node.args.map(nested).join(' ');
    case 'pipe':
      return pipeText(node);
    case 'bool':
      return String(node.value);
    case 'dot':
      return '.';
    case 'number':
      return node.text;
    case 'string':
      return node.literal;
    case 'field':
      return node.path.map((name) => `.${name}`).join('');
    case 'identifier':
      return node.name;
    case 'variable':
      return node.path.join('.');
    case 'chain':
      return `${nested(node.of)}${node.path.map((name) => `.${name}`).join('')}`;
    default:
      return node.kind;
  }
}

function nested(node: AnyNode): string {
  return node.kind === 'pipe' ? `(${nodeText(node)})` : nodeText(node);
}

function pipeText(pipe: PipeNode): string {
  const names = pipe.declarations.map(nodeText).join(', ');
  const declaration = names === '' ? '' : `${names} ${pipe.isAssign ? '=' : ':='} `;
  return `${declaration}${pipe.commands.map(nodeText).join(' | ')}`;
}

function branchText(node: BranchNode): string {
  const otherwise = node.elseList === undefined ? '' : `{{else}}${nodeText(node.elseList)}`;
  return `{{${node.kind} ${nodeText(node.pipe)}}}${nodeText(node.list)}${otherwise}{{end}}`;
}
