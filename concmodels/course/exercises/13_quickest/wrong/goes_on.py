"""Diagnosis: is left running"""

import threading


def quickest(model, functions, seconds):
    answers = model.Channel(len(functions), "answers")
    for function in functions:
        threading.Thread(target=lambda function=function: answers.send(function()), daemon=True).start()
    return answers.receive(seconds)
