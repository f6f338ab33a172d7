import { describe, expect, test } from "vitest";
import { OutlineReader } from "./outline-reader.ts";
import { SymbolMap } from "./symbol-map.ts";

const reader = new OutlineReader();

describe("an outline", () => {
  test.each([
    [
      "a.ts",
      "export class Tide<T> extends Sea { #level = 1; async rise(by: number): Promise<void> { f(); } }\nexport interface Moon { phase: string; wax(): void }\nexport type Hour = number;\nexport function f(a: string): void {}\nexport const g = async (x: number) => x + 1;\nfunction outer() { const inner = 1; }",
      [
        "class Tide<T> extends Sea",
        "  async rise(by: number): Promise<void>",
        "interface Moon",
        "  wax(): void",
        "type Hour = number",
        "function f(a: string): void",
        "g = async (x: number)",
        "function outer()",
      ],
    ],
    ["a.tsx", "export function View({ name }: Props) { return <b>{name}</b>; }", ["function View({ name }: Props)"]],
    [
      "a.js",
      "class A extends B { run(a) { f(); } }\nexports.h = function (b) {};",
      ["class A extends B", "  run(a)", "exports.h = function (b) {}"],
    ],
    [
      "a.py",
      "class A(B):\n    def run(self, x: int) -> str:\n        return f(x)\n\nasync def g(a, b=1):\n    pass\nLIMIT = 3\n",
      ["class A(B)", "  def run(self, x: int) -> str", "async def g(a, b=1)", "LIMIT = 3"],
    ],
    [
      "a.go",
      'package main\ntype T struct { a int }\nfunc F(a int) string { return "" }\nfunc (t *T) Run() error { return nil }\nconst Limit = 3\n',
      ["T struct { a int }", "func F(a int) string", "func (t *T) Run() error", "Limit = 3"],
    ],
    [
      "a.rs",
      "pub struct S { a: i32 }\nimpl T for S { fn run(&self) { f() } }\npub fn f() -> i32 { 1 }",
      ["pub struct S", "impl T for S", "  fn run(&self)", "pub fn f() -> i32"],
    ],
    [
      "a.java",
      "public class A extends B { public A(int a) {} public void run(String s) { f(); } }",
      ["public class A extends B", "  public A(int a)", "  public void run(String s)"],
    ],
    ["a.c", "int add(int a, int b) { return a + b; }\n#define LIMIT 3\n", ["int add(int a, int b)", "#define LIMIT 3"]],
    [
      "a.cpp",
      "namespace n { class A : public B { public: void run(int a); }; }\nvoid n::A::run(int a) { f(a); }\nchar *name(void) { return 0; }",
      ["namespace n", "  class A : public B", "    void run(int a)", "void n::A::run(int a)", "char *name(void)"],
    ],
    [
      "a.cs",
      "namespace N { public class A : B { public int X { get; set; } public void Run(string s) { F(); } } }",
      ["namespace N", "  public class A : B", "    public int X { get; set; }", "    public void Run(string s)"],
    ],
    [
      "a.rb",
      "module M\n  class A < B\n    def run(x)\n      f(x)\n    end\n  end\nend\n",
      ["module M", "  class A < B", "    def run(x)"],
    ],
    [
      "a.php",
      "<?php class A extends B { public function run(string $s): void { f(); } } function f($a) {}",
      ["class A extends B", "  public function run(string $s): void", "function f($a)"],
    ],
  ])("of %s says what it defines", async (path, source, lines) => {
    expect((await reader.read(path, source))?.text.split("\n")).toEqual(lines);
  });

  test("is absent for what no grammar reads, and as far as it goes for what is broken", async () => {
    expect(await reader.read("notes.md", "# Hello")).toBeUndefined();
    expect((await reader.read("a.ts", "function a() {}\n)))) class {{{\nfunction b() {}"))?.text).toContain(
      "function a()",
    );
  });

  test("takes no name from remarks and quoted text", async () => {
    const outline = await reader.read("a.ts", '// tide\nconst sea = "moon"; /* wave */ ebb(river);');
    expect([...(outline?.uses ?? [])].toSorted()).toEqual(["const", "ebb", "river", "sea"]);
  });

  test("holds long signatures to one line of bounded length", async () => {
    const outline = await reader.read("a.ts", `function f(${"argument: string, ".repeat(50)}) {}`);
    expect(outline?.text.length).toBeLessThan(150);
  });
});

const source = (text: string) => ({ text, hash: text });

describe("a symbol map", () => {
  const files = {
    "a.ts": "export function alpha() { beta(); }",
    "b.ts": "export function beta() { alpha(); gamma(); }",
    "c.py": "def gamma():\n    pass\n",
  };
  const mapped = async (): Promise<SymbolMap> => {
    const map = new SymbolMap();
    for (const [path, text] of Object.entries(files)) await map.update(path, source(text));
    return map;
  };

  test("knows who refers to whom", async () => {
    const map = await mapped();
    expect(map.paths.map((path) => [path, map.refersTo(path)])).toEqual([
      ["a.ts", ["b.ts"]],
      ["b.ts", ["a.ts", "c.py"]],
      ["c.py", []],
    ]);
  });

  test("reads again only what has changed, and forgets what is gone", async () => {
    const map = await mapped();
    expect(await map.update("a.ts", source(files["a.ts"]))).toBe(false);
    expect(await map.update("c.py", source("def delta():\n    pass\n"))).toBe(true);
    expect(map.refersTo("b.ts")).toEqual(["a.ts"]);
    map.remove("a.ts");
    expect(map.refersTo("b.ts")).toEqual([]);
    expect(map.find("a.ts")).toBeUndefined();
  });

  test("keeps an outline's hash while only bodies change", async () => {
    const map = await mapped();
    const before = map.find("a.ts")?.hash;
    await map.update("a.ts", source("export function alpha() { return beta(2); }"));
    expect(map.find("a.ts")?.hash).toBe(before);
  });

  test("makes nothing of names that many files define", async () => {
    const map = new SymbolMap();
    for (const name of ["a", "b", "c", "d", "e"]) await map.update(`${name}.ts`, source("export function run() {}"));
    await map.update("user.ts", source("export const used = run();"));
    expect(map.refersTo("user.ts")).toEqual([]);
  });
});
