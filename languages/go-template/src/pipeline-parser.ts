import type { CommandNode, OperandNode, PipeNode, VariableNode } from './ast.ts';
import { nodeText } from './node-text.ts';
import { looksLikeFloat, parseNumberLiteral } from './number-literal.ts';
import { quote, unquote, unquoteRune } from './quoting.ts';
import type { Token, TokenKind } from './token.ts';
import type { ParserState } from './parser-state.ts';

const OPERAND_STARTS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'bool',
  'char-constant',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'raw-string',
  'string',
  'variable',
  'left-paren',
]);
const NOT_EXECUTABLE: ReadonlySet<string> = new Set(['bool', 'dot', 'nil', 'number', 'string']);
const NO_FIELDS: ReadonlySet<string> = new Set(['bool', 'string', 'number', 'nil', 'dot']);

/** Parses the content of `{{ }}` and tracks which variables are in scope. */
export class PipelineParser {
  readonly #tree: ParserState;
  readonly #variables: string[] = ['$'];

  constructor(tree: ParserState) {
    this.#tree = tree;
  }

  /** Opens a scope for variables. Pass the result to endScope. */
  scope(): number {
    return this.#variables.length;
  }

  endScope(scope: number): void {
    this.#variables.length = scope;
  }

  parse(context: string, end: TokenKind): PipeNode {
    const tokens = this.#tree.tokens;
    const at = tokens.peekNonSpace().at;
    const { isAssign, declarations } = this.#declarations(context);
    const commands: CommandNode[] = [];
    for (;;) {
      const token = tokens.nextNonSpace();
      if (token.kind === end) {
        this.#check(commands, context);
        return { kind: 'pipe', at, isAssign, declarations, commands };
      }
      if (!OPERAND_STARTS.has(token.kind)) this.#tree.unexpected(token, context);
      tokens.backup();
      commands.push(this.#command());
    }
  }

  #declarations(context: string): { isAssign: boolean; declarations: VariableNode[] } {
    const tokens = this.#tree.tokens;
    const declarations: VariableNode[] = [];
    for (;;) {
      const variable = tokens.peekNonSpace();
      if (variable.kind !== 'variable') return { isAssign: false, declarations };
      tokens.next();
      const afterVariable = tokens.peek();
      const next = tokens.peekNonSpace();
      if (next.kind === 'assign' || next.kind === 'declare') {
        tokens.nextNonSpace();
        this.#declare(variable, declarations);
        return { isAssign: next.kind === 'assign', declarations };
      }
      if (next.kind !== 'char' || next.text !== ',') {
        if (afterVariable.kind === 'space') tokens.backupThree(variable, afterVariable);
        else tokens.backupTwo(variable);
        return { isAssign: false, declarations };
      }
      tokens.nextNonSpace();
      this.#declare(variable, declarations);
      this.#expectAnotherVariable(context, declarations.length);
    }
  }

  #declare(token: Token, declarations: VariableNode[]): void {
    declarations.push({ kind: 'variable', at: token.at, path: token.text.split('.') });
    this.#variables.push(token.text);
  }

  #expectAnotherVariable(context: string, declared: number): void {
    if (context !== 'range' || declared >= 2) this.#tree.fail(`too many declarations in ${context}`);
    const next = this.#tree.tokens.peekNonSpace().kind;
    if (next !== 'variable' && next !== 'right-delimiter' && next !== 'right-paren') {
      this.#tree.fail('range can only initialize variables');
    }
  }

  #check(commands: readonly CommandNode[], context: string): void {
    if (commands.length === 0) this.#tree.fail(`missing value for ${context}`);
    commands.forEach((command, stage) => {
      if (stage > 0 && NOT_EXECUTABLE.has(command.args[0]?.kind ?? '')) {
        this.#tree.fail(`non executable command in pipeline stage ${stage + 1}`);
      }
    });
  }

  #command(): CommandNode {
    const tokens = this.#tree.tokens;
    const at = tokens.peekNonSpace().at;
    const args: OperandNode[] = [];
    for (;;) {
      tokens.peekNonSpace();
      const operand = this.#operand();
      if (operand !== undefined) args.push(operand);
      const token = tokens.next();
      if (token.kind === 'space') continue;
      if (token.kind === 'right-delimiter' || token.kind === 'right-paren') tokens.backup();
      else if (token.kind !== 'pipe') this.#tree.unexpected(token, 'operand');
      if (args.length === 0) this.#tree.fail('empty command');
      return { kind: 'command', at, args };
    }
  }

  #operand(): OperandNode | undefined {
    const tokens = this.#tree.tokens;
    const node = this.#term();
    if (node === undefined || tokens.peek().kind !== 'field') return node;
    const { at } = tokens.peek();
    const path: string[] = [];
    while (tokens.peek().kind === 'field') path.push(tokens.next().text.slice(1));
    if (node.kind === 'field') return { kind: 'field', at, path: [...node.path, ...path] };
    if (node.kind === 'variable') return { kind: 'variable', at, path: [...node.path, ...path] };
    if (NO_FIELDS.has(node.kind)) this.#tree.fail(`unexpected . after term ${quote(nodeText(node))}`);
    return { kind: 'chain', at, of: node, path };
  }

  #term(): OperandNode | undefined {
    const token = this.#tree.tokens.nextNonSpace();
    const { at, text } = token;
    switch (token.kind) {
      case 'identifier':
        if (!this.#tree.input.isFunction(text)) this.#tree.fail(`function ${quote(text)} not defined`);
        return { kind: 'identifier', at, name: text };
      case 'dot':
      case 'nil':
        return { kind: token.kind, at };
      case 'variable':
        if (!this.#variables.includes(text)) this.#tree.fail(`undefined variable ${quote(text)}`);
        return { kind: 'variable', at, path: [text] };
      case 'field':
        return { kind: 'field', at, path: [text.slice(1)] };
      case 'bool':
        return { kind: 'bool', at, value: text === 'true' };
      case 'left-paren':
        return this.#tree.nested(() => this.parse('parenthesized pipeline', 'right-paren'));
      default:
        return this.#constant(token);
    }
  }

  #constant(token: Token): OperandNode | undefined {
    const { at, text } = token;
    switch (token.kind) {
      case 'char-constant': {
        const rune = unquoteRune(text);
        if (!rune.ok) return this.#tree.fail(rune.reason);
        const int = BigInt(rune.value);
        return { kind: 'number', at, text, number: { int, uint: int, float: rune.value }, isFloat: false };
      }
      case 'number': {
        const literal = parseNumberLiteral(text);
        if (!literal.ok) return this.#tree.fail(`${literal.reason}: ${quote(text)}`);
        return { kind: 'number', at, text, number: literal.number, isFloat: looksLikeFloat(text) };
      }
      case 'string':
      case 'raw-string': {
        const value = unquote(text) ?? this.#tree.fail('invalid syntax');
        return { kind: 'string', at, literal: text, value };
      }
      default:
        this.#tree.tokens.backup();
        return undefined;
    }
  }
}
