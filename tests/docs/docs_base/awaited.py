from concmodels import load


async def main(model):
    with model.Channel(8) as channel:
        await channel.send("sent")
        print(await channel.receive())


if __name__ == "__main__":
    model = load("trio")
    model.run(main, model)
